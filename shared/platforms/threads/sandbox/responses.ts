import { graphError } from '../../families/meta/sandbox/responses.ts';

export const invalidParameter = (message: string, user_message?: string) =>
  graphError({
    code: 100,
    type: 'THApiException',
    message,
    ...(user_message === undefined ? {} : { user_message }),
  });

/** The container is not visible yet, is lost, or is not finished. */
export const mediaNotFound = () =>
  graphError({
    code: 24,
    subcode: 4_279_009,
    is_transient: false,
    message: 'The requested resource does not exist',
    title: 'Media Not Found',
    user_message: 'The media with the given id cannot be found.',
  });

export const permissionMissing = () =>
  graphError({
    status: 403,
    code: 10,
    message: '(#10) Application does not have permission for this action',
  });

export const unknownPath = (path: string) =>
  graphError({ code: 2500, message: `Unknown path components: ${path}` });
