/** Turns the configuration of a service into options of its client. The only place that unwraps its secrets. */
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
