import { randomUUID } from 'node:crypto';

/** A new name for a run of numbers that only grow: 60 random bits, as letters and digits. */
export const newIncarnationId = () => randomUUID().replaceAll('-', '').slice(0, 16);
