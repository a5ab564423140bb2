package jobstrand;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.UUID;

/** What the service is told, and in which words. */
final class Json {
    /** Of what is said to the service; that of payloads may be the app's. */
    static final ObjectMapper PROTOCOL = new ObjectMapper();

    /** Of payloads, if the app has none of its own. */
    static final ObjectMapper PAYLOADS =
            JsonMapper.builder()
                    .findAndAddModules()
                    .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .build();

    private static final SecureRandom RANDOM = new SecureRandom();

    private Json() {}

    static byte[] bytes(Object value) {
        try {
            return PROTOCOL.writeValueAsBytes(value);
        } catch (JsonProcessingException error) {
            throw new IllegalArgumentException(error.getOriginalMessage(), error);
        }
    }

    /** What the app gives, in JSON. */
    static String textOf(ObjectMapper mapper, Object value, String what) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JsonProcessingException error) {
            throw new IllegalArgumentException(
                    what + " cannot be told: " + error.getOriginalMessage(), error);
        }
    }

    static Duration notNegative(Duration duration, String name) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative");
        }
        return duration;
    }

    static Duration positive(Duration duration, String name) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + " must be longer than nothing");
        }
        return duration;
    }

    /** In ISO 8601, to the millisecond; what is shorter is one. */
    static String text(Duration duration) {
        return Duration.ofMillis(duration.isZero() ? 0 : Math.max(1, duration.toMillis()))
                .toString();
    }

    /**
     * A UUID of version 7 (RFC 9562). Ids that ascend with time are the fastest for the database.
     */
    static String freshId() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        ByteBuffer id = ByteBuffer.wrap(bytes);
        long high = System.currentTimeMillis() << 16 | 0x7000 | id.getLong(0) & 0xfff;
        long low = id.getLong(8) & 0x3fff_ffff_ffff_ffffL | 0x8000_0000_0000_0000L;
        return new UUID(high, low).toString();
    }

    /** The beginning of a text, of at most so many bytes in UTF-8, without halves of characters. */
    static String cut(String text, int most) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int end = Math.min(bytes.length, most);
        while (end < bytes.length && (bytes[end] & 0xc0) == 0x80) {
            --end;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }
}
