// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.*;
import org.netbeans.lib.profiler.heap.*;

/** What NetBeans' heap library (VisualVM's too) says of a dump: java -cp org-netbeans-lib-profiler.jar NetBeansRetained.java
 *  DUMP prints class, objects, size, and what they retain that is not below another one of the class.
 *
 *  It takes references to be of 8 bytes, and does not round the sizes of objects up as the JVM does, which is made good
 *  here: dominators are the library's own, sizes those that it has, rounded to 8 bytes. */
public class NetBeansRetained {
    public static void main(String[] arguments) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(arguments[0]));
        Map<Long, Instance> objects = new HashMap<>();
        Map<String, long[]> rows = new TreeMap<>();
        for (Iterator<?> all = heap.getAllInstancesIterator(); all.hasNext();) {
            Instance each = (Instance) all.next();
            long[] row = rows.computeIfAbsent(each.getJavaClass().getName(), name -> new long[3]);
            row[0]++;
            row[1] += rounded(each);
            if (each.getRetainedSize() > 0) objects.put(each.getInstanceId(), each); // others are not reachable
        }
        var field = heap.getClass().getDeclaredField("domTree");
        field.setAccessible(true);
        Object tree = field.get(heap);
        var above = tree.getClass().getDeclaredMethod("getIdomId", long.class);
        above.setAccessible(true);
        for (Instance each : objects.values()) {
            Set<String> holders = new HashSet<>();
            for (Instance at = each; at != null; at = objects.get((long) above.invoke(tree, at.getInstanceId()))) {
                String name = at.getJavaClass().getName();
                if (holders.add(name)) rows.get(name)[2] += rounded(each);
            }
        }
        rows.forEach((name, row) -> System.out.println(name + "\t" + row[0] + "\t" + row[1] + "\t" + row[2]));
    }

    static long rounded(Instance object) {
        return (object.getSize() + 7) / 8 * 8;
    }
}
