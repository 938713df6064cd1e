import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: './packages/schema/src/tables.ts',
  out: './drizzle',
  migrations: { prefix: 'timestamp' },
});
