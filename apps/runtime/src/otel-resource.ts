import type { Resource } from '@opentelemetry/resources';
import { BUILD } from './build-info.ts';
import { PROCESS_ID } from './process-id.ts';

/** What OpenTelemetry's logs and traces say of this process; the standard variables come first. */
export async function otelResource(): Promise<Resource> {
  const { detectResources, envDetector, resourceFromAttributes } = await import(
    '@opentelemetry/resources'
  );
  return resourceFromAttributes({
    'service.name': 'ceiba-runtime',
    'service.version': BUILD.sha,
    'service.instance.id': PROCESS_ID,
  }).merge(detectResources({ detectors: [envDetector] }));
}
