export * from './error-messages.ts';
export * from './parsing.ts';
export * from './requests.ts';
export * from './sets.ts';
export * from './wire.ts';
