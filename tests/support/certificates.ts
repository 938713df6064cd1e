import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@ceiba/devstack/supervisor';

/** The files of a certificate authority of its own. */
export interface CertificateAuthority {
  /** The path of its certificate. */
  readonly ca: string;
  /**
   * Issues a certificate.
   *
   * @param names its subject alternative names, such as `DNS:db.example` or `IP:127.0.0.1`
   */
  issue(name: string, names: readonly string[]): { cert: string; key: string };
}

function openssl(...args: string[]): void {
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${args[0]} failed: ${stderr}`);
}

export function createCertificateAuthority(): CertificateAuthority {
  const folder = temporaryFolder('ceiba-certificates-');
  const file = (name: string) => join(folder, name);
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout'];
  openssl('req', '-x509', ...key, file('ca.key'), '-out', file('ca.crt'), '-subj', '/CN=Test CA');
  return {
    ca: file('ca.crt'),
    issue(name, names) {
      const [cert, request, extensions] = [`${name}.crt`, `${name}.csr`, `${name}.ext`].map(file);
      openssl('req', ...key, file(`${name}.key`), '-out', request!, '-subj', `/CN=${name}`);
      writeFileSync(extensions!, `subjectAltName=${names.join(',')}\n`);
      const authority = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-CAcreateserial'];
      const files = ['-in', request!, '-out', cert!, '-extfile', extensions!];
      openssl('x509', '-req', ...authority, ...files);
      return { cert: cert!, key: file(`${name}.key`) };
    },
  };
}
