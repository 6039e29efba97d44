/** The local statistics service in a process of its own. */
import { DEFAULT_PROJECT_ID, DEFAULT_USER, startStatisticsService } from '../../playground/service/server.ts';
import { servePeer } from './peer-process.ts';

const service = await startStatisticsService({ seed: 7 });
let forgotten = 0;

const functions = {
  /** The bot's environment for it. */
  environment: () => ({
    WAF_BASE_URL: service.url,
    WAF_IAM_URL: service.iamUrl,
    WAF_PROJECT_ID: DEFAULT_PROJECT_ID,
    WAF_USERNAME: DEFAULT_USER.username,
    WAF_PASSWORD: DEFAULT_USER.password,
    WAF_DOMAIN_NAME: DEFAULT_USER.domainName,
  }),
  /** Every answer from now on takes so much longer. */
  slow(ms: number) {
    service.misbehave({ kind: 'slow', ms });
  },
  /** How many calls it has had. What it remembers of them is forgotten. */
  calls() {
    forgotten += service.requests.filter(({ call }) => call === 'timeline' || call === 'distribution').length;
    service.requests.length = 0;
    return forgotten;
  },
};
export type ServicePeer = typeof functions;

servePeer(functions);
