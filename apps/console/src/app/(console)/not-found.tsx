import { NotFoundMessage } from '#components/not-found-message.tsx';

export const metadata = { title: 'Not found' };

/** The same for another owner's project and for an unknown one. */
export default function NotFoundInConsole() {
  return (
    <>
      <NotFoundMessage />
      {/* The frame shows no project around it: globals.css. */}
      <span data-no-project="" hidden />
    </>
  );
}
