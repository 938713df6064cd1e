'use server';

import { randomBytes } from 'node:crypto';
import { mintProjectSecret } from '@ceiba/domain';
import { createProject } from '@ceiba/schema';
import { z } from 'zod';
import { userAction } from '#server/action.ts';
import { PROJECT_NAME_TAKEN, settle } from '#server/settle.ts';
import { env } from '../../../../env.ts';
import { typedText } from '../../../../lib/typed.ts';

/** Shown once: the secret is in this answer and nowhere else. */
export interface NewProject {
  projectId: string;
  name: string;
  projectSecret: string;
  runtimeUrl: string;
}

/** Creates a project on the default plan and returns its secret. */
export const createNewProject = userAction({
  showsOnce: true,
  input: z.object({ name: typedText }),
  async run({ inDatabase, user }, { name }): Promise<NewProject> {
    const secret = mintProjectSecret(randomBytes);
    const result = await inDatabase((ctx) =>
      createProject(ctx, { ownerId: user.userId, name, secret }),
    );
    const { projectId } = settle(result, { name_taken: PROJECT_NAME_TAKEN });
    const runtimeUrl = env().runtimePublicUrl;
    return { projectId, name, projectSecret: secret.plaintext, runtimeUrl };
  },
});
