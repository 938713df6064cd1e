import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Encrypts what has to be read again, so that a copy of the database does not hold it in the clear:
 * AES-256-GCM, with a key that HKDF derives from `NEXTAUTH_SECRET` for this purpose alone (ADR 0030).
 * The format is version (1 byte), nonce (12), tag (16), ciphertext.
 */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const keyOf = (secret: string) =>
  Buffer.from(hkdfSync('sha256', secret, '', 'ceiba: secrets of authenticator apps', 32));

/** @param subject the owner of the secret: sealed for another one, it does not open */
export function seal(secret: string, subject: string, plain: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), nonce).setAAD(Buffer.from(subject));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
}

/** @returns null when it was sealed with another secret or for another subject, or was altered */
export function unseal(secret: string, subject: string, sealed: Buffer): Buffer | null {
  const body = 1 + NONCE_BYTES + TAG_BYTES;
  if (sealed[0] !== VERSION || sealed.length <= body) return null;
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), nonce, {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(subject)).setAuthTag(sealed.subarray(1 + NONCE_BYTES, body));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(body)), decipher.final()]);
  } catch {
    return null;
  }
}
