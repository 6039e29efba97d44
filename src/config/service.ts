/** One project of a statistics service: its URLs and credentials, and the options of its client. */
import { Secret } from '../secret.ts';
import type { Name, Values } from './fields.ts';

export interface ServiceConfig {
  readonly baseUrl: string;
  readonly iamUrl: string | undefined;
  readonly projectId: string;
  readonly dialect: 'auto' | 'events' | 'overviews';
  /** Limits the data to one enterprise project; the service decides if undefined. */
  readonly enterpriseProject: string | undefined;
  readonly auth:
    | { readonly kind: 'token'; readonly username: string; readonly password: Secret; readonly domainName: string }
    | {
        readonly kind: 'aksk';
        readonly accessKey: Secret;
        readonly secretKey: Secret;
        readonly securityToken: Secret | undefined;
      };
}

export function readService(values: Values, faults: string[]): ServiceConfig | null {
  const { WAF_BASE_URL: baseUrl, WAF_IAM_URL: iamUrl, WAF_PROJECT_ID: projectId } = values;
  const { WAF_USERNAME: username, WAF_PASSWORD: password, WAF_DOMAIN_NAME: domainName } = values;
  const { WAF_ACCESS_KEY: accessKey, WAF_SECRET_KEY: secretKey, WAF_SECURITY_TOKEN: securityToken } = values;
  const { WAF_DIALECT: dialect = 'auto', WAF_ENTERPRISE_PROJECT: enterpriseProject } = values;
  const byToken = username || password || domainName;
  const byKeys = accessKey || secretKey || securityToken;
  const need = (name: Name, value: unknown, fix: string): void => {
    if (!value && !faults.some((fault) => fault.startsWith(`${name} `))) faults.push(`${name} is missing; ${fix}.`);
  };
  need('WAF_BASE_URL', baseUrl, 'set the URL of the statistics service');
  need('WAF_PROJECT_ID', projectId, 'set the ID of the project');
  if (byToken && byKeys) {
    faults.push('Both password (WAF_USERNAME) and access key (WAF_ACCESS_KEY) credentials are set; keep one kind.');
  } else if (byKeys) {
    need('WAF_ACCESS_KEY', accessKey, 'set the access key that belongs to WAF_SECRET_KEY');
    need('WAF_SECRET_KEY', secretKey, 'set the secret key that belongs to WAF_ACCESS_KEY');
  } else if (byToken) {
    need('WAF_IAM_URL', iamUrl, 'set the URL of the identity service, which issues tokens');
    need('WAF_USERNAME', username, 'set the user with programmatic access');
    need('WAF_PASSWORD', password, 'set the password of WAF_USERNAME');
    need('WAF_DOMAIN_NAME', domainName, 'set the account (domain) that WAF_USERNAME belongs to');
  } else {
    need('WAF_IAM_URL', iamUrl, 'set the URL of the identity service, which issues tokens');
    faults.push(
      'No credentials are set; set WAF_USERNAME, WAF_PASSWORD and WAF_DOMAIN_NAME, or WAF_ACCESS_KEY and WAF_SECRET_KEY.',
    );
  }
  if (!baseUrl || !projectId) return null;
  const place = { baseUrl, iamUrl, projectId, dialect, enterpriseProject };
  if (byKeys) {
    const keys = { accessKey: new Secret(accessKey ?? ''), secretKey: new Secret(secretKey ?? '') };
    const token = securityToken ? new Secret(securityToken) : undefined;
    return { ...place, auth: { kind: 'aksk', ...keys, securityToken: token } };
  }
  const auth = {
    kind: 'token',
    username: username ?? '',
    password: new Secret(password ?? ''),
    domainName: domainName ?? '',
  } as const;
  return { ...place, auth };
}

export function serviceOptions({ auth, ...service }: ServiceConfig) {
  const plain =
    auth.kind === 'token'
      ? { ...auth, password: auth.password.reveal() }
      : {
          kind: auth.kind,
          accessKey: auth.accessKey.reveal(),
          secretKey: auth.secretKey.reveal(),
          securityToken: auth.securityToken?.reveal(),
        };
  return { ...service, auth: plain };
}
