/** A number as people write it, with what is counted; one is not many. */
export function counted(number, noun) {
  return `${String(number).replace(/\B(?=(\d{3})+$)/g, ',')} ${noun}${number === 1 ? '' : 's'}`;
}

/** Rows that differ only in a size, each held against the one of the smallest. */
export function rowsBySize(sizes, rowOf) {
  const rows = sizes.map(rowOf);
  return rows.map((row) => (row === rows[0] ? row : { ...row, smallest: rows[0].name }));
}
