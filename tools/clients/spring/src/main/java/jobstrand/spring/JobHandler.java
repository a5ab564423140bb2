package jobstrand.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says that a method of a bean handles the jobs of a type. It takes the {@link jobstrand.Job}, its
 * payload as a value of whatever type Jackson can make of it, or both, or nothing. A job is done
 * when it returns, whatever that is; what it throws has failed the attempt.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface JobHandler {
    /** The handler type. */
    String value();

    /** Its weight among those of the worker. */
    int weight() default 1;

    /** After which it is given up, such as {@code PT1M}; empty: there is none. */
    String timeout() default "";
}
