import type * as v from 'valibot';
import type { ErrorCode } from './error-codes.ts';

/*
 * Response types of a route, derived from its documentation: a handler can only return a documented status, with a body
 * that has exactly the fields of the response's schema. Error responses are thrown (`ApiError`), except those that have
 * a schema of their own.
 */

/** One documented response. A schema with a `v.title` becomes a named schema of the OpenAPI document. */
export interface ResponseDoc {
  description: string;
  /** Schema of the JSON body. Error statuses without one use the body that all errors with that status share. */
  schema?: v.GenericSchema;
  /** Codes of an error beyond those that every such route answers. */
  codes?: readonly ErrorCode[];
  /** Default: generated from the schema. */
  example?: unknown;
  /** Set where the handler returns `raw` bytes of this type. */
  content_type?: string;
  /** Set where browsers get a page in place of the JSON body. */
  html?: true;
  /** Headers beyond those that every such response has. */
  headers?: readonly string[];
}

export type Responses = Readonly<Record<number, ResponseDoc>>;

type Headers = Readonly<Record<string, string>>;

/** Handlers may return what they do not own: nothing is written to it. */
type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> }
    : T;

/** Output of a valibot schema. Cheaper for the compiler than `v.InferOutput`, which checks the whole schema type. */
type OutputOf<Schema> = Schema extends { readonly '~types'?: { readonly output: infer Output } | undefined }
  ? Output
  : never;

interface RawResponse<Status extends number> {
  readonly status: Status;
  readonly raw: Uint8Array;
  readonly headers?: Headers;
}

type DocumentedResponse<Status extends number, Doc> = Doc extends { content_type: string }
  ? RawResponse<Status>
  : JsonResponse<Status, Doc> | (Doc extends { html: true } ? RawResponse<Status> : never);

type JsonResponse<Status extends number, Doc> = Doc extends { schema: infer Schema }
  ? { readonly status: Status; readonly body: DeepReadonly<OutputOf<Schema>>; readonly headers?: Headers }
  : `${Status}` extends `${4 | 5}${string}`
    ? never
    : { readonly status: Status; readonly headers?: Headers };

/** Everything that a handler of a route with these documented responses may return. */
export type ResponseOf<R extends Responses> = {
  [Status in keyof R & number]: DocumentedResponse<Status, R[Status]>;
}[keyof R & number];

/*
 * TypeScript allows a function to return more fields than its contextual type has, so extra fields are searched for
 * here.
 */

type KeyOfAny<T> = T extends unknown ? keyof T : never;
type PropertyOfAny<T, Name> = T extends unknown ? (Name extends keyof T ? T[Name] : never) : never;

/**
 * Paths of the fields that `Given` has and `Documented` does not. A field that can only be undefined is not one: the
 * compiler adds those to the members of a union of object literals.
 */
type ExtraFields<Documented, Given, Path extends string> = unknown extends Documented
  ? never
  : Given extends readonly (infer Item)[]
    ? Documented extends readonly (infer DocumentedItem)[]
      ? ExtraFields<DocumentedItem, Item, `${Path}[]`>
      : never
    : Given extends object
      ? {
          [Name in keyof Given & string]: Name extends KeyOfAny<Documented>
            ? ExtraFields<PropertyOfAny<Documented, Name>, Given[Name], `${Path}.${Name}`>
            : [Given[Name]] extends [undefined]
              ? never
              : `${Path}.${Name}`;
        }[keyof Given & string]
      : never;

type BodyOf<Response, Status> = Response extends { status: Status; body: infer Body } ? Body : never;

type ExtraResponseFields<R extends Responses, Given> = Given extends {
  status: infer Status;
  body: infer Body;
}
  ? [BodyOf<ResponseOf<R>, Status>] extends [never]
    ? 'body'
    : ExtraFields<BodyOf<ResponseOf<R>, Status>, Body, 'body'>
  : never;

/** Makes the definition of a route an error that names the fields which its handler returns undocumented. */
export type OnlyDocumentedFields<R extends Responses, Given> = [ExtraResponseFields<R, Given>] extends [never]
  ? unknown
  : { handler: ['Not in the response schema:', ExtraResponseFields<R, Given>] };
