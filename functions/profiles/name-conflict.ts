import { conflict } from '../../shared/http/errors.ts';

export const nameConflict = () => conflict('A profile with this username or profile name already exists');
