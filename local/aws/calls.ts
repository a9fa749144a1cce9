/** Calls of one operation by one function since the last reset. */
export interface CallCount {
  service: string;
  operation: string;
  /** `-` if the caller is not a function of the stack. */
  function: string;
  count: number;
  read_units: number;
  write_units: number;
}

export interface Units {
  read: number;
  write: number;
}

export interface Calls {
  add: (service: string, operation: string, caller: string, units?: Units) => void;
  report: () => { calls: CallCount[]; count: number; read_units: number; write_units: number };
  reset: () => void;
}

/** Counts every AWS call by service, operation and function. */
export function createCalls(): Calls {
  const rows = new Map<string, CallCount>();
  return {
    add: (service, operation, caller, units = { read: 0, write: 0 }) => {
      const key = `${service} ${operation} ${caller}`;
      const old = rows.get(key) ?? { count: 0, read_units: 0, write_units: 0 };
      rows.set(key, {
        service,
        operation,
        function: caller,
        count: old.count + 1,
        read_units: old.read_units + units.read,
        write_units: old.write_units + units.write,
      });
    },
    report: () => {
      const calls = [...rows.values()];
      const sum = (member: 'count' | 'read_units' | 'write_units') =>
        calls.reduce((total, row) => total + row[member], 0);
      return {
        calls,
        count: sum('count'),
        read_units: sum('read_units'),
        write_units: sum('write_units'),
      };
    },
    reset: () => rows.clear(),
  };
}
