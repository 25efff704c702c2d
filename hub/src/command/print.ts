type Item = Readonly<Record<string, unknown>>;

export function peopleTable(result: Item): string {
  const rows = itemsOf(result).map(({ name, role, lastSignIn }) => [
    String(name),
    String(role),
    lastSignIn ? `last signed in ${local(lastSignIn)}` : 'never signed in',
  ]);
  return rows.length > 0 ? table(rows) : 'There is nobody yet. Add somebody with `user add NAME`.';
}

export function machineTable(result: Item): string {
  const rows = itemsOf(result).map(({ name, id, lastSeen, revokedAt }) => [
    String(name),
    String(id),
    revokedAt ? `revoked ${local(revokedAt)}` : lastSeen ? `last seen ${local(lastSeen)}` : 'not seen yet',
  ]);
  return rows.length > 0 ? table(rows) : 'No machine has joined yet. Invite one with `invite`.';
}

export function transferReport({ rows }: Item, file: string): string {
  return `Wrote ${counted(rows)} to ${file}. The signing key is not in it: copy hub.key from the hub's data too.`;
}

export function importReport({ rows, added, newKey }: Item): string {
  const known = Number(rows) - Number(added);
  const skipped = known > 0 ? `, ${known} known before` : '';
  const next = newKey
    ? `\nMachines trust the key ${newKey}: put its hub.key into the hub's data (or give it with --key) and start the hub again.`
    : '';
  return `Read ${counted(rows)}: ${added} added${skipped}.${next}`;
}

function itemsOf({ items }: Item): Item[] {
  return Array.isArray(items) ? items : [];
}

function counted(rows: unknown): string {
  return `${rows} ${rows === 1 ? 'row' : 'rows'}`;
}

function local(time: unknown): string {
  const at = new Date(String(time));
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

function table(rows: readonly (readonly string[])[]): string {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, column) => width(column));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
