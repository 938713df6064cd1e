import { Notice } from '#components/ui/notice.tsx';
import { NOT_FRESH } from '../not-fresh.ts';
import { SignOut } from './sign-out.tsx';

/** In place of a form that would be refused: the user has no password, and signed in a while ago. */
export function SignInAgain() {
  return (
    <Notice tone="warning" action={<SignOut />}>
      {NOT_FRESH}
    </Notice>
  );
}
