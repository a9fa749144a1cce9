import { HttpFailure, type HttpClient, type HttpRequest, type HttpResponse } from '../../net/http.ts';
import { fromHttpFailure } from '../contract/error.ts';

/** Sends a request. Throws PlatformError when there is no response; `what` names the request in its message. */
export async function sendRequest(
  http: HttpClient,
  request: HttpRequest,
  what: string,
): Promise<HttpResponse> {
  try {
    return await http.send(request);
  } catch (error) {
    throw error instanceof HttpFailure ? fromHttpFailure(error, what) : error;
  }
}
