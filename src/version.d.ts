/** The package's version, put in by the build. */
declare const __VERSION__: string;
/** Tells the chunks of one build from those of another; only known to what loads them. */
declare const __BUILD__: string;
