import * as v from 'valibot';

/** Names a profile of the workspace. */
export const profileNameField = v.pipe(v.string(), v.trim(), v.nonEmpty('Must not be empty'));
