// SPDX-License-Identifier: Apache-2.0
import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.*;

/** A desk whose orders are never closed, dumped after each 3,000 more: java Orders DUMP... */
public class Orders {
    static class Order { final long[] items = new long[20]; }

    static class Desk { final List<Order> open = new ArrayList<>(); }

    static final Desk DESK = new Desk();

    public static void main(String[] dumps) throws Exception {
        HotSpotDiagnosticMXBean jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        for (String dump : dumps) {
            for (int i = 0; i < 3000; i++) DESK.open.add(new Order());
            jvm.dumpHeap(dump, true);
        }
    }
}
