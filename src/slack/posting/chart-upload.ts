/** The chart of a reply as a file in Slack. Its failure never costs the answer. */
import type { ChartSpec } from '../../charts/spec/index.ts';
import type { Reply } from '../../commands/replies/reply.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Uploads } from './uploads.ts';

/** Draws a chart; `null` where pictures are switched off. */
export type Draw = ((spec: ChartSpec) => Promise<Uint8Array>) | null;

/** The id of the uploaded picture, or `null` when there is none. */
export type MakePicture = (reply: Reply) => Promise<string | null>;

export function createPictures(draw: Draw, uploads: Uploads, log: Logger): MakePicture {
  return async ({ chart, title }) => {
    if (chart === undefined || draw === null) return null;
    try {
      return await uploads.picture(await draw(chart), title);
    } catch (error) {
      log.warn({ err: error }, 'no picture for this answer');
      return null;
    }
  };
}
