// SPDX-License-Identifier: Apache-2.0
import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.*;
import java.util.function.Supplier;

/** A heap with dominators of every kind: 20,000 objects of eight classes that refer to one another at random, below
 *  collections of java.util: java Web DUMP */
public class Web {
    static class Knot { Object one, two; long weight; }
    static class Wide extends Knot { Object three, four; byte flag; }
    static class Odd { int number; Object only; }
    static class Pair { Object left, right; short s; }
    static class Leaf { byte[] bytes; }
    static class Ring { Ring next; Object held; }
    static class Many { Object[] all; }
    static class Named { String name; Object about; }

    static final Map<String, Object> SHELF = new HashMap<>(), ORDER = new TreeMap<>();
    static final List<Object> ROWS = new ArrayList<>(), CHAIN = new LinkedList<>();
    static Object top;

    static Object make(Random random, int i) {
        switch (random.nextInt(8)) {
            case 0: return new Knot();
            case 1: return new Wide();
            case 2: return new Odd();
            case 3: return new Pair();
            case 4: Leaf leaf = new Leaf(); leaf.bytes = new byte[random.nextInt(200)]; return leaf;
            case 5: return new Ring();
            case 6: Many many = new Many(); many.all = new Object[random.nextInt(6)]; return many;
            default: Named named = new Named(); named.name = "name " + i; return named;
        }
    }

    public static void main(String[] arguments) throws Exception {
        Random random = new Random(7);
        Object[] all = new Object[20_000];
        for (int i = 0; i < all.length; i++) all[i] = make(random, i);
        for (int i = 0; i < all.length; i++) { // mostly to objects that follow closely, some far away and back
            int at = i;
            Supplier<Object> any = () -> random.nextInt(3) == 0 ? null : random.nextInt(40) == 0
                ? all[random.nextInt(all.length)] : all[Math.min(all.length - 1, at + 1 + random.nextInt(60))];
            if (all[i] instanceof Knot it) { it.one = any.get(); it.two = any.get(); }
            if (all[i] instanceof Wide it) { it.three = any.get(); it.four = any.get(); }
            if (all[i] instanceof Odd it) it.only = any.get();
            if (all[i] instanceof Pair it) { it.left = any.get(); it.right = any.get(); }
            if (all[i] instanceof Ring it) { it.held = any.get(); it.next = any.get() instanceof Ring next ? next : it; }
            if (all[i] instanceof Many it) for (int k = 0; k < it.all.length; k++) it.all[k] = any.get();
            if (all[i] instanceof Named it) it.about = any.get();
        }
        for (int i = 0; i < 200; i++) {
            SHELF.put("shelf " + i, all[random.nextInt(all.length)]);
            ORDER.put("order " + i, all[random.nextInt(all.length)]);
            ROWS.add(all[random.nextInt(all.length)]);
            CHAIN.add(all[random.nextInt(all.length)]);
        }
        top = all[0];
        Arrays.fill(all, null);
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(arguments[0], true);
    }
}
