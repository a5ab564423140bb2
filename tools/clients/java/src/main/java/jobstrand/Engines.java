package jobstrand;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;

/** Several databases as one. */
public final class Engines {
    private Engines() {}

    /**
     * The engine of a job among the names of several whose databases are as one ({@code spreadOver}).
     *
     * @param key its process instance id, else its unique key, else the key of its series, else its id
     * @throws java.util.NoSuchElementException there is no name
     */
    public static String engineOf(String key, Collection<String> names) {
        return Collections.max(
                names, (one, other) -> Arrays.compareUnsigned(weight(one, key), weight(other, key)));
    }

    private static byte[] weight(String name, String key) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest((name + "\n" + key).getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
