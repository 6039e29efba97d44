/** The local statistics service in a process of its own, so that its work is not counted as the client's. */
import { startStatisticsService } from '../../playground/service/server.ts';

const now = Number(process.argv[2]);
const { url, iamUrl, projectId, user, key } = await startStatisticsService({ now: () => now });
process.send?.({ url, iamUrl, projectId, user, key });
process.on('disconnect', () => process.exit());
