/** Runs once when the server starts, before the first request. */
export async function register(): Promise<void> {
  // A constant of the build, not a setting: this file is compiled for a second runtime too, which
  // has no Node modules and which this app never uses.
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { start } = await import('./server/start.ts');
  start();
}
