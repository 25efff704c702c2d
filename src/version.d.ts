/** The package's version, put in by the build. */
declare const __VERSION__: string;
/** Tells the chunks of one build from those of another; only known to what loads them. */
declare const __BUILD__: string;
/** The chunk that a starter loads first. */
declare const __FIRST__: 'run-hook' | 'run-stop-hook';
