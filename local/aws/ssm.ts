import * as v from 'valibot';
import { ACCOUNT, REGION } from '../template/names.ts';
import type { LocalStore, Collection } from '../store.ts';
import { AwsError, ok, type AwsResponse } from './response.ts';

const ParameterSchema = v.object({
  Value: v.string(),
  Type: v.picklist(['String', 'StringList', 'SecureString']),
  Version: v.number(),
  /** Epoch seconds, as on the wire. */
  LastModifiedDate: v.number(),
});
type Parameter = v.InferOutput<typeof ParameterSchema>;

const Name = v.object({ Name: v.string() });
const Names = v.object({ Names: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(10)) });
const Put = v.object({
  Name: v.pipe(v.string(), v.regex(/^[\w./-]{1,2048}$/)),
  Value: v.pipe(v.string(), v.minLength(1), v.maxLength(4096)),
  Type: v.optional(v.picklist(['String', 'StringList', 'SecureString']), 'String'),
  Overwrite: v.optional(v.boolean(), false),
});

type Operation = (input: unknown) => unknown;

/** SSM Parameter Store, the operations that the service calls. Secure strings are stored unencrypted. */
export function createSsm(
  store: LocalStore,
  now: () => number,
): (operation: string, body: unknown) => AwsResponse {
  const parameters = store.collection('ssm', ParameterSchema);
  const operations: Record<string, Operation> = {
    GetParameter: input => ({ Parameter: existing(parameters, parse(Name, input).Name) }),
    GetParameters: input => getMany(parameters, parse(Names, input).Names),
    PutParameter: input => put(parameters, parse(Put, input), now()),
    DeleteParameter: input => {
      const { Name: name } = parse(Name, input);
      existing(parameters, name);
      parameters.delete(name);
      return {};
    },
  };
  return (operation, body) => {
    const run = operations[operation];
    if (!run) throw new AwsError('UnknownOperationException', `The local SSM does not support ${operation}`);
    return ok(run(body));
  };
}

function parse<T>(schema: v.GenericSchema<unknown, T>, input: unknown): T {
  const result = v.safeParse(schema, input);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new AwsError('ValidationException', `${v.getDotPath(issue) ?? 'request'}: ${issue.message}`);
}

function existing(parameters: Collection<Parameter>, name: string) {
  const parameter = parameters.get(name);
  if (!parameter) throw new AwsError('ParameterNotFound', `The parameter ${name} does not exist`);
  return described(name, parameter);
}

function described(name: string, parameter: Parameter) {
  const path = name.startsWith('/') ? name : `/${name}`;
  return {
    Name: name,
    ...parameter,
    ARN: `arn:aws:ssm:${REGION}:${ACCOUNT}:parameter${path}`,
    DataType: 'text',
  };
}

function getMany(parameters: Collection<Parameter>, names: readonly string[]) {
  const found = names.flatMap(name => {
    const parameter = parameters.get(name);
    return parameter ? [described(name, parameter)] : [];
  });
  const known = new Set(found.map(({ Name: name }) => name));
  return { Parameters: found, InvalidParameters: names.filter(name => !known.has(name)) };
}

function put(parameters: Collection<Parameter>, input: v.InferOutput<typeof Put>, nowMs: number) {
  const old = parameters.get(input.Name);
  if (old && !input.Overwrite) {
    throw new AwsError('ParameterAlreadyExists', 'The parameter already exists. Set overwrite to update it.');
  }
  const Version = (old?.Version ?? 0) + 1;
  parameters.set(input.Name, {
    Value: input.Value,
    Type: input.Type,
    Version,
    LastModifiedDate: nowMs / 1000,
  });
  return { Version, Tier: 'Standard' };
}
