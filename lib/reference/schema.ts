import { html } from 'hono/html';
import { PLATFORM_IDS, type PlatformId } from '../../shared/model/platform.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import type { Schema, Schemas } from '../openapi/schema.ts';
import { type Html, inline, nothing } from './markdown.ts';

interface Field {
  name: string;
  schema: Schema;
  required: boolean;
}

/** Returns a named schema in place of a reference to it. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  return schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? schema);
}

/** Shows the fields of a schema: those that every platform has, then those of each platform, folded. */
export function fieldsOf(schema: Schema, schemas: Schemas): Html {
  const all = collect(schema, schemas);
  const groups = PLATFORM_IDS.map(platform => ({
    platform,
    fields: all.filter(({ name }) => Object.hasOwn(RULES[platform].options, name)),
  })).filter(({ fields }) => fields.length > 0);
  const grouped = new Set(groups.flatMap(({ fields }) => fields));
  const common = all.filter(field => !grouped.has(field));
  return html`${table(common, schemas)}${groups.map(({ platform, fields }) => group(platform, fields, schemas))}`;
}

const group = (platform: PlatformId, fields: readonly Field[], schemas: Schemas): Html => html`
  <details class="platform">
    <summary>${RULES[platform].display_name} <span class="count">${fields.length} fields</span></summary>
    ${table(fields, schemas)}
  </details>
`;

function collect(reference: Schema, schemas: Schemas): Field[] {
  const schema = resolved(reference, schemas);
  const { properties = {}, required = [], allOf = [], anyOf, items } = schema;
  const own = Object.entries(properties).map(([name, inner]) => ({
    name,
    schema: inner,
    required: required.includes(name),
  }));
  const inner = [...allOf, ...(anyOf?.slice(0, 1) ?? []), ...(items ? [items] : [])];
  return [...own, ...inner.flatMap(part => collect(part, schemas))];
}

function table(fields: readonly Field[], schemas: Schemas): Html | typeof nothing {
  if (fields.length === 0) return nothing;
  return html`<dl class="fields">
    ${fields.map(({ name, schema, required }) => {
      const whole = resolved(schema, schemas);
      return html`<div>
        <dt>
          <code>${name}</code> <span class="type">${typeOf(schema, schemas)}</span>
          ${required ? html`<span class="required">required</span>` : nothing}
        </dt>
        <dd>${inline(schema.description ?? whole.description ?? '')}${limits(whole)}</dd>
      </div>`;
    })}
  </dl>`;
}

/** `string`, `integer or null`, `list of Platform`, `Post`. */
function typeOf(schema: Schema, schemas: Schemas): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.anyOf) return [...new Set(schema.anyOf.map(part => typeOf(part, schemas)))].join(' or ');
  const name = schema.items
    ? `list of ${typeOf(schema.items, schemas)}`
    : (schema.format ?? schema.type ?? 'any value');
  return schema.nullable ? `${name} or null` : name;
}

function limits({
  enum: values,
  minLength,
  maxLength,
  minimum,
  maximum,
  minItems,
  maxItems,
  default: usual,
}: Schema): Html {
  const known = [
    values
      ? `One of ${values
          .filter(value => value !== null)
          .map(value => `\`${JSON.stringify(value)}\``)
          .join(', ')}.`
      : '',
    range('characters', minLength, maxLength),
    range('', minimum, maximum),
    range('entries', minItems, maxItems),
    usual === undefined || usual === null ? '' : `Default: \`${JSON.stringify(usual)}\`.`,
  ].filter(text => text !== '');
  return known.length === 0 ? html`` : html`<span class="limits">${inline(known.join(' '))}</span>`;
}

function range(unit: string, min: number | undefined, max: number | undefined): string {
  const text =
    min === undefined && max === undefined
      ? ''
      : min === undefined
        ? `At most ${max}`
        : max === undefined
          ? `At least ${min}`
          : `${min} to ${max}`;
  return text === '' ? '' : `${`${text} ${unit}`.trim()}.`;
}
