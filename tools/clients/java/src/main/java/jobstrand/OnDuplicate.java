package jobstrand;

import java.util.Locale;

/** What becomes of a job whose unique key is held by another one. */
public enum OnDuplicate {
    /** It is refused; so it is when nothing is said. */
    REJECT,
    /** It is not added: the other one stays. */
    KEEP,
    /** It takes the place of the other one, if that waits. */
    REPLACE;

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
