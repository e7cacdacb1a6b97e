package peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** The classes below the one that a query asks for: all that reasoning by hand needs. */
public final class Classes {
    private static Set<String> below = Set.of();

    private Classes() {}

    static void read(Path path) throws IOException {
        below = new HashSet<>(Files.readAllLines(path));
    }

    /** Called by Esper. */
    public static boolean below(String name) {
        return below.contains(name);
    }
}
