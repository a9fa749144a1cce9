import * as v from 'valibot';
import type { Entries, Route } from '../../shared/http/route.ts';
import { formFile } from '../../shared/http/form.ts';
import { exampleOf } from './example.ts';
import { nameSchema, toSchema } from './json-schema.ts';
import type { Schema, Schemas } from './schema.ts';
import { typeName } from './names.ts';
import { groupedByPlatform } from './platform-options.ts';
import type { Media } from './media.ts';

export interface RequestBody {
  description: string;
  required: boolean;
  content: Record<string, Media>;
}

const FORM = 'multipart/form-data';

/** Returns the request body of a route; null where it takes none. */
export function requestBodyOf(route: Route, named: Schemas): RequestBody | null {
  if (!route.body) return null;
  const fields = { ...route.body, ...route.body_docs };
  const body = {
    description: route.summary,
    required: Object.values(fields).some(isRequired),
  };
  if (needsFile(fields))
    return { ...body, content: { [FORM]: { schema: bodySchema(route, fields, 'Form', named) } } };
  const schema = bodySchema(route, fields, 'Request', named);
  const example = route.body_example ?? exampleOf(schema, named);
  return {
    ...body,
    content: { 'application/json': { schema, example }, ...formsOf(route, schema, example, named) },
  };
}

const needsFile = (fields: Entries) => Object.values(fields).includes(formFile);

/** The same fields may be sent as a form, unless the form has fields of its own. */
function formsOf(route: Route, schema: Schema, example: unknown, named: Schemas): Record<string, Media> {
  if (!route.takes_form) return {};
  if (!route.form_docs)
    return { [FORM]: { schema, example }, 'application/x-www-form-urlencoded': { schema, example } };
  return { [FORM]: { schema: bodySchema(route, route.form_docs, 'Form', named) } };
}

function bodySchema(route: Route, fields: Entries, suffix: string, named: Schemas): Schema {
  const name = typeName(route, suffix);
  const whole = toSchema(v.object(fields), 'input', named, name);
  const one = route.takes_form && suffix === 'Request' ? withoutFiles(whole) : whole;
  const description = `${suffix === 'Form' ? 'Form' : 'Request body'} of \`${route.operation_id}\`.`;
  if (route.batch === undefined)
    return nameSchema(name, groupedByPlatform({ ...one, description }, named), named);
  const item = nameSchema(
    typeName(route, 'Item'),
    { ...one, description: `One item of \`${name}\`.` },
    named,
  );
  const many: Schema = { type: 'array', items: item, minItems: 1, maxItems: route.batch };
  return nameSchema(name, { description: `One object or several.`, anyOf: [item, many] }, named);
}

/** A JSON body cannot contain files. */
function withoutFiles({ properties = {}, ...schema }: Schema): Schema {
  const others = Object.entries(properties).filter(([, { format }]) => format !== 'binary');
  return { ...schema, properties: Object.fromEntries(others) };
}

const isRequired = (field: Entries[string]) => !v.safeParse(v.object({ field }), {}).success;
