import * as v from 'valibot';
import { urlProblem } from '../net/public-url.ts';

/** The URL of a file in a request. The address that its host name resolves to is checked when the file is fetched. */
export const fileUrl = (maxLength: number) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.maxLength(maxLength, `Must be at most ${maxLength} characters`),
    v.rawCheck(({ dataset, addIssue }) => {
      const message = dataset.typed ? urlProblem(dataset.value) : null;
      if (message !== null) addIssue({ message });
    }),
  );
