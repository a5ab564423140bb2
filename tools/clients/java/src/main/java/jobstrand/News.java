package jobstrand;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;

/** What a run tells of itself. Safe for use by several threads. */
final class News {
    private static final int LINES = 100; // That are kept: the last ones.
    private static final int LINE_BYTES = 1000; // Its beginning.
    private static final int ALL_BYTES = 8000; // That are told together.
    private static final int NOTE_BYTES = 255;

    private final Deque<String> lines = new ArrayDeque<>();
    private Double part; // Null: nobody has said.
    private String note = "";
    private boolean isFresh; // Something was said since it was taken.

    synchronized void progress(double part, String note) {
        this.part = Double.isNaN(part) ? 0 : Math.min(1, Math.max(0, part));
        this.note = storable(note, NOTE_BYTES);
        isFresh = true;
    }

    synchronized void log(String text) {
        text.lines().forEach(line -> lines.add(storable(line, LINE_BYTES)));
        while (lines.size() > LINES) {
            lines.remove();
        }
        isFresh = true;
    }

    /** The lines, for the details of a failure. */
    synchronized String text() {
        return String.join("\n", lastLines());
    }

    /** Adds it to what the service is told of the job. Returns false when there is nothing new. */
    synchronized boolean takeInto(ObjectNode told) {
        if (!isFresh) {
            return false;
        }
        isFresh = false;
        if (part != null) {
            told.put("progress", part);
        }
        if (!note.isEmpty()) {
            told.put("note", note);
        }
        lastLines().forEach(told.withArray("lines")::add);
        return true;
    }

    /** What was taken last is to be taken again. */
    synchronized void notTold() {
        isFresh = true;
    }

    private List<String> lastLines() {
        LinkedList<String> last = new LinkedList<>();
        int room = ALL_BYTES;
        for (Iterator<String> line = lines.descendingIterator(); line.hasNext(); ) {
            String text = line.next();
            room -= text.getBytes(StandardCharsets.UTF_8).length + 1;
            if (room < 0) {
                break;
            }
            last.addFirst(text);
        }
        return last;
    }

    /** Databases store no NUL. */
    private static String storable(String text, int most) {
        return Json.cut(text.replace('\0', '\ufffd'), most);
    }
}
