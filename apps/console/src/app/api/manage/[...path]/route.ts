import { answerManage } from '#server/manage.ts';

export const dynamic = 'force-dynamic';

/** The operations of `@ceiba/manage` for programs with an access token; it says which methods an address has. */
export {
  answerManage as DELETE,
  answerManage as GET,
  answerManage as HEAD,
  answerManage as OPTIONS,
  answerManage as PATCH,
  answerManage as POST,
  answerManage as PUT,
};
