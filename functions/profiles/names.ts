import { conflict } from '../../shared/http/errors.ts';

export const nameTaken = () => conflict('A profile with this username or profile name exists already');
