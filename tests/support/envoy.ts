import { fileURLToPath } from 'node:url';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { loadSync, type MethodDefinition } from '@grpc/proto-loader';

interface Header {
  header: { key: string; value: string };
}

export interface CheckResponse {
  status: { code: number };
  ok_response?: {
    headers: Header[];
    headers_to_remove: string[];
    response_headers_to_add: Header[];
  };
  denied_response?: { status: { code: number }; headers: Header[]; body: string };
}

const proto = '../../apps/runtime/src/ext-authz/ext-authz.proto';
/** The method that Envoy calls. */
export const { Check } = loadSync(fileURLToPath(new URL(proto, import.meta.url)), {
  keepCase: true,
  defaults: true,
})['envoy.service.auth.v3.Authorization'] as unknown as {
  Check: MethodDefinition<object, CheckResponse>;
};

/** Asks as Envoy does, over one connection. */
export function openEnvoy(port: number) {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  return {
    /** @returns the status that the caller would get; 200 for an allow, null without an answer */
    statusOf: (of: { projectId: string; secret: string }, apiKey: string | null) =>
      new Promise<number | null>((resolve) => {
        const metadata = new Metadata();
        metadata.set('x-service-project-id', of.projectId);
        metadata.set('x-service-project-secret', of.secret);
        const headers = apiKey === null ? {} : { 'x-api-key': apiKey };
        const request = { http: { method: 'GET', path: '/v1/reports', headers } };
        client.makeUnaryRequest(
          Check.path,
          Check.requestSerialize,
          Check.responseDeserialize,
          { attributes: { request } },
          metadata,
          {},
          (_error, answer) => {
            const allowed = answer?.status.code === 0 ? 200 : null;
            resolve(answer?.denied_response?.status.code ?? allowed);
          },
        );
      }),
    close: () => client.close(),
  };
}
