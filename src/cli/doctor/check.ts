/** What doctor found out about one thing. The shape is read by programs. */
export type Check = {
  readonly id: string;
  readonly category: 'runtime' | 'project' | 'state' | 'hook';
  readonly status: 'pass' | 'warn' | 'fail';
  readonly severity: 'info' | 'warning' | 'critical';
  readonly message: string;
  readonly fix: Fix | null;
};

export type Fix = {
  readonly description: string;
  /** Whether the command can do no harm. */
  readonly safe: boolean;
  readonly command: string | null;
};

type Subject = Pick<Check, 'id' | 'category'>;

export function passed(subject: Subject, message: string): Check {
  return { ...subject, status: 'pass', severity: 'info', message, fix: null };
}

/** Something that should be seen to, though work is guarded. */
export function warned(subject: Subject, message: string, fix: Fix | null = null): Check {
  return { ...subject, status: 'warn', severity: 'warning', message, fix };
}

/** Something because of which work is not guarded, or wrongly held. */
export function failed(subject: Subject, message: string, fix: Fix | null = null): Check {
  return { ...subject, status: 'fail', severity: 'critical', message, fix };
}

/** A fix that a person has to think about. */
export function advice(description: string, command: string | null = null): Fix {
  return { description, safe: false, command };
}
