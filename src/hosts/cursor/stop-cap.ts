/** How many times in a row Cursor lets an end of turn be answered with a message, unless told otherwise. */
export const LOOP_LIMIT = 5;
