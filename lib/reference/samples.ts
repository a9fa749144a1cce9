import type { Operation } from '../openapi/operation.ts';

/** One operation as a client calls it. */
export interface Call {
  method: string;
  path: string;
  operation: Operation;
}

/** In samples; the page puts its own address in its place. */
export const BASE_URL = 'https://api.example.com/v1';

/** The example of the JSON body; undefined where the operation takes none. */
export const bodyOf = ({ operation }: Call): unknown =>
  operation.requestBody?.content['application/json']?.example;

const isForm = ({ operation }: Call) =>
  operation.requestBody !== undefined && operation.requestBody.content['application/json'] === undefined;

/** Returns a command for a shell. */
export function curlSample(call: Call): string {
  const { method, path, operation } = call;
  const body = bodyOf(call);
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${BASE_URL}${path}"`,
    ...(operation.security ? [] : ['-H "Authorization: Bearer $API_KEY"']),
    ...(hasIdempotencyKey(operation) ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(isForm(call) ? ['-F "profile_name=Acme Coffee"', '-F "file=@blend.jpg"'] : []),
    ...(body === undefined
      ? []
      : [
          "-H 'Content-Type: application/json'",
          `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
        ]),
  ];
  return lines.join(' \\\n  ');
}

/** Returns a call with a client that openapi-typescript and openapi-fetch generate. */
export function typescriptSample(call: Call): string {
  const { method, path, operation } = call;
  const body = bodyOf(call);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '');
  const params = [
    ...(names.length > 0 ? [`path: { ${names.join(', ')} }`] : []),
    ...(hasIdempotencyKey(operation) ? ["header: { 'Idempotency-Key': crypto.randomUUID() }"] : []),
  ];
  const options = [
    ...(params.length > 0 ? [`params: { ${params.join(', ')} }`] : []),
    ...(body === undefined
      ? []
      : [`body: ${unquoted(JSON.stringify(body, null, 2)).replaceAll('\n', '\n  ')}`]),
    ...(isForm(call) ? ['body: form', 'bodySerializer: () => form'] : []),
  ];
  const argument = options.length === 0 ? '' : `, {\n  ${options.join(',\n  ')},\n}`;
  return `const { data, error } = await api.${method}('${path}'${argument});`;
}

const hasIdempotencyKey = ({ parameters = [] }: Operation) => parameters.some(each => '$ref' in each);

const unquoted = (text: string) => text.replace(/"(\w+)":/g, '$1:');
