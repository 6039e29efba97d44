/** The options of the service client from the configuration: the one place where its secrets are unwrapped. */
import type { ServiceConfig } from './service.ts';

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
