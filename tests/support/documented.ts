import { openApiDocument } from '@ceiba/contract/openapi';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/*
 * Compares what the Runtime answers with its OpenAPI document. Every answer that a test gets through
 * `send` is checked.
 */

interface Response {
  readonly $ref?: string;
  readonly content?: object;
}
interface Document {
  readonly paths: Record<string, Record<string, { readonly responses?: Record<string, Response> }>>;
  readonly components: { readonly responses: Record<string, Response> };
}

const document = JSON.parse(JSON.stringify(openApiDocument('closed'))) as Document;
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'document');

/** Each path of the document, as the addresses that it stands for. */
const addresses = Object.keys(document.paths).map((path) => {
  const pattern = path.replace(/\{\w+\}/g, '[^/]+');
  return {
    path,
    pattern: new RegExp(`^${pattern}${path.endsWith('forward-auth') ? '(?:/.*)?' : ''}$`),
  };
});
const validators = new Map<string, ValidateFunction>();

/** An answer of a Runtime. */
export interface Answered {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

/**
 * What an answer has that the document does not say; null for an answer as documented, and for an
 * address or a method that the document does not have.
 */
export function undocumented({ method, url, status, text }: Answered): string | null {
  const { pathname } = new URL(url);
  const path = addresses.find(({ pattern }) => pattern.test(pathname))?.path;
  const verb = method.toLowerCase();
  const operation = path === undefined ? undefined : document.paths[path]?.[verb];
  if (path === undefined || operation?.responses === undefined) return null;
  const what = `${method} ${path} answered ${status}`;
  const response = operation.responses[status];
  if (response === undefined) return `${what}, which is not documented: ${text}`;
  const name = response.$ref?.split('/').at(-1);
  const content =
    name === undefined ? response.content : document.components.responses[name]?.content;
  if (content === undefined) return text === '' ? null : `${what} with a body`;
  const pointer =
    name === undefined
      ? `paths/${path.replaceAll('/', '~1')}/${verb}/responses/${status}`
      : `components/responses/${name}`;
  const validate = validatorOf(encodeURI(`document#/${pointer}/content/application~1json/schema`));
  if (validate(JSON.parse(text))) return null;
  return `${what} with another shape: ${ajv.errorsText(validate.errors)}: ${text}`;
}

function validatorOf($ref: string): ValidateFunction {
  const known = validators.get($ref);
  if (known !== undefined) return known;
  const validate = ajv.compile({ $ref });
  validators.set($ref, validate);
  return validate;
}
