/** Answers as JSON of a protocol buffer: members with the value 0, `false`, `''` or an empty list are left out. */
export const protoJson = (value: unknown, status = 200): Response =>
  Response.json(isObject(value) ? withoutZeros(value) : {}, { status });

function withoutZeros(value: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries(value)
    .filter(([, member]) => !isZero(member))
    .map(([name, member]) => [name, clean(member)]);
  return Object.fromEntries(members) as Record<string, unknown>;
}

function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  return isObject(value) ? withoutZeros(value) : value;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isZero = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === 0 ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0);
