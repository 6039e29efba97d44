/** Everything the bot posts goes through here: answers, and the outbox for digests and watches. */
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import { BACKGROUND_RETRY, createRetryOnRateLimit, type SlackClients } from '../transport/web-api.ts';
import { createAttachments, createDeliverReply, createPostAndConfirm } from './deliver-reply.ts';
import {
  createChartUploads,
  createPictureMessages,
  createSendWithFallbacks,
  type DrawChart,
} from './picture-messages.ts';
import { createReportDocuments, type WorkspaceAddress } from './report-document.ts';
import { createRespond } from './response-url.ts';
import { createOutbox } from './slack-outbox.ts';

interface PostingOptions {
  readonly clients: SlackClients;
  readonly drawChart: DrawChart;
  readonly identity: WorkspaceAddress & { readonly botName: string };
  readonly userName: (user: string) => Promise<string | null>;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createPosting({ clients, drawChart, identity, userName, clock, log }: PostingOptions) {
  const retryOnRateLimit = createRetryOnRateLimit(clock, log);
  const retryInBackground = createRetryOnRateLimit(clock, log, BACKGROUND_RETRY);
  const common = { clients, retryOnRateLimit, retryInBackground, clock, log };
  const postAndConfirm = createPostAndConfirm(common);
  const respond = createRespond(clients, log);
  const uploads = createChartUploads({ ...common, drawChart });
  const documents = createReportDocuments({ ...common, identity, userName });
  const attachments = createAttachments({ ...common, postAndConfirm, documents });
  const sendWithFallbacks = createSendWithFallbacks(clock, log, uploads.forget);
  const pictureMessages = createPictureMessages({ ...common, uploads, sendWithFallbacks });
  const sending = { ...common, postAndConfirm, sendWithFallbacks, pictureMessages, userName };
  return {
    deliverReply: createDeliverReply({ ...sending, respond, attachments, identity }),
    postAndConfirm,
    respond,
    outbox: createOutbox(sending),
    /** Resolves once late pictures have been added or given up. */
    finished: pictureMessages.finished,
  };
}
