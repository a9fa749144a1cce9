import * as v from 'valibot';

export interface Issue {
  /** Dotted path of the field; empty for the whole body. */
  path: string;
  message: string;
}

export function issuesOf(issues: readonly v.BaseIssue<unknown>[]): Issue[] {
  return issues.map(issue => ({ path: v.getDotPath(issue) ?? '', message: issue.message }));
}

/** An invalid request body: the control API responds 400 with every issue. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
  readonly issues: readonly Issue[];
  constructor(issues: readonly Issue[]) {
    super(issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '));
    this.issues = issues;
  }
}

/** Parses a request body. Throws BadRequest. */
export function parseBody<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (!result.success) throw new BadRequest(issuesOf(result.issues));
  return result.output;
}
