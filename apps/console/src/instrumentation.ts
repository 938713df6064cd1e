/** Runs once when the server starts, before the first request. */
export async function register(): Promise<void> {
  // A constant of the build: this file is also compiled for the edge runtime, which has no Node.js
  // modules and which this app does not use.
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { start } = await import('./server/start.ts');
  start();
}
