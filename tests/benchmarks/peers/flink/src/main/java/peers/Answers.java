package peers;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;
import org.apache.flink.types.Row;

/**
 * Takes the answers: start, end and values, in this order. Counts them and looks at each value; where it is to
 * check, adds up the checksums of their texts (tests/benchmarks/peers/checksum.py does the same).
 */
final class Answers implements SinkFunction<Row> {
    private static final long serialVersionUID = 1;
    private static final CRC32 CRC = new CRC32();
    private static volatile boolean checking;
    private static volatile long count;
    private static volatile long sum;
    private static int seen;

    static void begin(boolean check) {
        checking = check;
        count = 0;
        sum = 0;
    }

    @Override
    @SuppressWarnings("NonAtomicOperationOnVolatileField") // one task writes
    public void invoke(Row row, Context context) {
        count++;
        if (checking) {
            check(row);
        } else {
            for (int column = 0; column < row.getArity(); column++) {
                seen += row.getField(column).hashCode();
            }
        }
    }

    private static void check(Row row) {
        StringBuilder text = new StringBuilder();
        for (int column = 0; column < row.getArity(); column++) {
            Object value = row.getField(column);
            text.append(column == 0 ? "" : ",").append(value instanceof Double number ? textOf(number) : value);
        }
        CRC.reset();
        CRC.update(text.toString().getBytes(StandardCharsets.UTF_8));
        sum += CRC.getValue();
    }

    private static String textOf(double number) {
        return number == Math.rint(number)
                ? Long.toString((long) number)
                : Long.toHexString(Double.doubleToLongBits(number));
    }

    static long count() {
        return count;
    }

    static long sum() {
        return sum;
    }

    /** So that no compiler can leave the look at the values out. */
    static int seen() {
        return seen;
    }
}
