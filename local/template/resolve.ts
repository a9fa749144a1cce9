import * as v from 'valibot';
import { JsonSchema, type Json } from '../../shared/model/json.ts';
import { ACCOUNT, PARTITION, REGION, URL_SUFFIX } from './names.ts';

/** Resolves references to resources. Both functions throw for unknown resources and attributes. */
export interface References {
  ref: (logicalId: string) => string;
  attribute: (logicalId: string, name: string) => string;
}

const PSEUDO_PARAMETERS: Readonly<Record<string, string>> = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Region': REGION,
  'AWS::Partition': PARTITION,
  'AWS::URLSuffix': URL_SUFFIX,
  'AWS::StackName': 'local',
  'AWS::StackId': `arn:${PARTITION}:cloudformation:${REGION}:${ACCOUNT}:stack/local/local`,
};

const JoinSchema = v.tuple([v.string(), v.array(JsonSchema)]);
const SelectSchema = v.tuple([v.union([v.number(), v.string()]), JsonSchema]);
const SplitSchema = v.tuple([v.string(), JsonSchema]);
const PairSchema = v.tuple([v.string(), v.string()]);
const SubSchema = v.union([v.string(), v.tuple([v.string(), v.record(v.string(), JsonSchema)])]);

/** Evaluates the intrinsic functions in a value of a template. Throws on unsupported functions. */
export function resolve(value: Json, references: References): Json {
  if (Array.isArray(value)) return value.map(item => resolve(item, references));
  if (value === null || typeof value !== 'object') return value;
  const [only, ...others] = Object.entries(value);
  if (only && others.length === 0) {
    const [name, argument] = only;
    const intrinsic = INTRINSICS[name];
    if (intrinsic) return intrinsic(argument, references);
    if (name.startsWith('Fn::')) throw new Error(`The local stack does not support ${name}`);
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, references)]));
}

const INTRINSICS: Readonly<Record<string, (argument: Json, references: References) => Json>> = {
  Ref: (argument, references) => refer(v.parse(v.string(), argument), references),
  'Fn::GetAtt': (argument, { attribute }) => attribute(...attributeName(argument)),
  'Fn::Join': (argument, references) => {
    const [separator, parts] = v.parse(JoinSchema, argument);
    return parts.map(part => text(part, references)).join(separator);
  },
  'Fn::Split': (argument, references) => {
    const [separator, source] = v.parse(SplitSchema, argument);
    return text(source, references).split(separator);
  },
  'Fn::Select': (argument, references) => {
    const [index, list] = v.parse(SelectSchema, argument);
    const item = v.parse(v.array(JsonSchema), resolve(list, references))[Number(index)];
    if (item === undefined) throw new Error(`Fn::Select: index ${index} is out of range`);
    return resolve(item, references);
  },
  'Fn::Sub': (argument, references) => substitute(v.parse(SubSchema, argument), references),
};

function text(value: Json, references: References): string {
  return String(v.parse(v.union([v.string(), v.number(), v.boolean()]), resolve(value, references)));
}

function refer(name: string, { ref }: References): string {
  return PSEUDO_PARAMETERS[name] ?? ref(name);
}

/** Parses `['Queue', 'Arn']` or `Queue.Arn`. */
function attributeName(argument: Json): [string, string] {
  if (typeof argument !== 'string') return v.parse(PairSchema, argument);
  const dot = argument.indexOf('.');
  return [argument.slice(0, dot), argument.slice(dot + 1)];
}

/** Evaluates `Fn::Sub`: `${Name}` is a Ref, `${Name.Attribute}` a GetAtt, and `${!Name}` the literal `${Name}`. */
function substitute(argument: v.InferOutput<typeof SubSchema>, references: References): string {
  const [template, variables] = typeof argument === 'string' ? [argument, {}] : argument;
  return template.replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
    if (literal) return `\${${name}}`;
    const variable = variables[name];
    if (variable !== undefined) return text(variable, references);
    return name.includes('.') ? references.attribute(...attributeName(name)) : refer(name, references);
  });
}
