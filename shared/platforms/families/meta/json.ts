import * as v from 'valibot';

/** An id: digits, for posts two groups of them with an underscore. */
export const GraphId = v.pipe(
  v.union([v.string(), v.number()]),
  v.transform(String),
  v.regex(/^\d+(?:_\d+)?$/),
);

/** `{"id": …}`: what most edges answer to a POST. */
export const CreatedSchema = v.object({ id: GraphId });

/** `{"success": true}`. */
export const SuccessSchema = v.object({ success: v.literal(true) });
