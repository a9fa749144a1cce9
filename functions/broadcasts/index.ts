import { serve } from '../../shared/http/serve.ts';
import { routes } from './routes.ts';

export const handler = serve(routes);
