package peers;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * Takes the answers of a statement: start, end and values, in this order. Counts them and looks at each value;
 * where it is to check, adds up the checksums of their texts (tests/benchmarks/peers/checksum.py does the same).
 */
public final class Answers {
    private final CRC32 crc = new CRC32();
    private boolean checking;
    private long shift;
    private int seen;
    private long count;
    private long sum;
    private long lastAt;

    /** Begin anew. Times are given less `shift` microseconds. */
    void begin(long shift, boolean checking) {
        this.shift = shift;
        this.checking = checking;
        count = 0;
        sum = 0;
    }

    /** Called by Esper for each answer. */
    public void update(Object[] row) {
        lastAt = System.nanoTime();
        count++;
        if (checking) {
            check(row);
        } else {
            for (Object value : row) {
                seen += value.hashCode();
            }
        }
    }

    private void check(Object[] row) {
        StringBuilder text = new StringBuilder();
        text.append((Long) row[0] - shift).append(',').append((Long) row[1] - shift);
        for (int column = 2; column < row.length; column++) {
            text.append(',').append(row[column] instanceof Double number ? textOf(number) : row[column]);
        }
        crc.reset();
        crc.update(text.toString().getBytes(StandardCharsets.UTF_8));
        sum += crc.getValue();
    }

    private static String textOf(double number) {
        return number == Math.rint(number)
                ? Long.toString((long) number)
                : Long.toHexString(Double.doubleToLongBits(number));
    }

    long count() {
        return count;
    }

    long sum() {
        return sum;
    }

    /** When the last answer came, in nanoseconds. */
    long lastAt() {
        return lastAt;
    }

    /** So that no compiler can leave the look at the values out. */
    int seen() {
        return seen;
    }
}
